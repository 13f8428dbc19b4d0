// Preloaded into the worker: every 100 ms writes the longest time between two turns of a 5 ms timer, as wall time and as
// processor time of the main thread. On a busy machine the first also holds what other processes took; the second is ours.
const { appendFileSync, openSync, readSync } = require('node:fs');

const file = process.env.BENCH_LOOP_FILE;
if (file && process.argv[1]?.endsWith('main.js')) {
  const scheduling = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const text = Buffer.alloc(80);
  const ranMs = () => Number(text.toString('latin1', 0, readSync(scheduling, text, 0, 80, 0)).split(' ', 1)[0]) / 1e6;
  let wall = performance.now();
  let ran = ranMs();
  let longest = { wall: 0, ran: 0 };
  setInterval(() => {
    const now = { wall: performance.now(), ran: ranMs() };
    longest = { wall: Math.max(longest.wall, now.wall - wall - 5), ran: Math.max(longest.ran, now.ran - ran) };
    wall = now.wall;
    ran = now.ran;
  }, 5).unref();
  setInterval(() => {
    appendFileSync(file, `${Date.now()} ${longest.wall.toFixed(1)} ${longest.ran.toFixed(1)}\n`);
    longest = { wall: 0, ran: 0 };
  }, 100).unref();
}
