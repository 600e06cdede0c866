/** Calls a function repeatedly, with a pause after each call, while the page is visible and the result is not false. */
export function repeat(refresh, pauseMs) {
  const turn = async () => {
    const isOver = !document.hidden && (await refresh()) === false;
    if (!isOver) {
      setTimeout(turn, pauseMs);
    }
  };
  turn();
}

const AT_ONCE = 3; // concurrent requests of this client

/** Processes all items, started in order, some concurrently. */
export async function inTurns(all, each) {
  const left = [...all];
  const worker = async () => {
    while (left.length > 0) await each(left.shift());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
