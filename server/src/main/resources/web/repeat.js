/** Calls again and again, a pause after each answer, and not while nobody looks. */
export function repeat(refresh, pauseMs) {
  const turn = async () => {
    if (!document.hidden) {
      await refresh();
    }
    setTimeout(turn, pauseMs);
  };
  turn();
}
