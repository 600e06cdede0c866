/** Calls again and again, a pause after each answer, and not while nobody looks; until it answers false. */
export function repeat(refresh, pauseMs) {
  const turn = async () => {
    const isOver = !document.hidden && (await refresh()) === false;
    if (!isOver) {
      setTimeout(turn, pauseMs);
    }
  };
  turn();
}
