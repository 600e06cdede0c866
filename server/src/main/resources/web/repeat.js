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

const AT_ONCE = 3; // of the questions that one client may have open

/** Does something with each, some of them at a time, in their order. */
export async function inTurns(all, each) {
  const left = [...all];
  const worker = async () => {
    while (left.length > 0) await each(left.shift());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
