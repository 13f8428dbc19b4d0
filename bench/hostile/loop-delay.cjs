// Preloaded into the worker. Every 100 ms it writes the longest delay of the event loop, both as wall-clock time from
// `monitorEventLoopDelay` and as processor time of the main thread between two runs of a 5 ms timer. On a busy machine
// the first value includes time used by other processes; the second counts this process only.
const { appendFileSync, openSync, readSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');

const file = process.env.BENCH_LOOP_FILE;
if (file && process.argv[1]?.endsWith('main.js')) {
  const scheduling = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const text = Buffer.alloc(80);
  const ranMs = () => Number(text.toString('latin1', 0, readSync(scheduling, text, 0, 80, 0)).split(' ', 1)[0]) / 1e6;
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  let ran = ranMs();
  let longest = 0;
  setInterval(() => {
    const now = ranMs();
    longest = Math.max(longest, now - ran);
    ran = now;
  }, 5).unref();
  setInterval(() => {
    const wall = Math.max(0, delays.max / 1e6 - 5);
    appendFileSync(file, `${Date.now()} ${wall.toFixed(1)} ${longest.toFixed(1)}\n`);
    longest = 0;
    delays.reset();
  }, 100).unref();
}
