// node .ci/summary.mjs <report of jest>: the ten slowest files, then the line that says how the tests went.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const files = report.testResults.map(({ name, startTime, endTime }) => ({
  name,
  seconds: (endTime - startTime) / 1000,
}));
console.log('The ten slowest files:');
for (const { name, seconds } of files.sort((a, b) => b.seconds - a.seconds).slice(0, 10))
  console.log(`${seconds.toFixed(0).padStart(5)} s  ${relative('.', name)}`);

const broken = report.testResults.filter((t) => t.status === 'failed' && t.assertionResults.length === 0).length;
const failed = report.numFailedTests + broken;
const skipped = report.numPendingTests + report.numTodoTests;
if (skipped > 0) console.log(`${skipped} tests were skipped, and in CI none may be`);
console.log(`${report.numPassedTests} passed, ${failed + skipped} failed`);
process.exitCode = failed + skipped > 0 || report.numPassedTests === 0 ? 1 : 0;
