const { mkdtempSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { formatResultsErrors } = require('jest-message-util');
const { default: TestRunner } = require('jest-runner');

/**
 * How many spec files share one registry of modules, by project. jest reads and compiles every module again for every file it
 * runs: 95 files of detectors, reports and probing took 62 s of processor one by one and 40 s together. End-to-end files are few
 * and long: larger groups would leave one worker with the last of them.
 */
const GROUP_SIZE = { unit: 12, e2e: 4 };

/**
 * jest's runner, which runs spec files in groups: each in a `describe` of its own (`grouped-specs.ts`), its results told as if it
 * had been run alone. Nothing is grouped where tests are chosen by name, as a group would be part of that name.
 */
module.exports = class GroupedRunner extends TestRunner {
  groups = new Map();

  runTests(tests, watcher, options) {
    if (this._globalConfig.testNamePattern) return super.runTests(tests, watcher, options);
    const dir = mkdtempSync(join(tmpdir(), 'hostprobe-groups-'));
    const contexts = [...new Set(tests.map(({ context }) => context))];
    const runs = contexts.flatMap((context) => {
      const ofProject = tests.filter((test) => test.context === context);
      const size = GROUP_SIZE[context.config.displayName.name];
      const groups = Array.from({ length: Math.ceil(ofProject.length / size) }, () => []);
      // They come slowest first, so that each group gets one of the slow ones.
      ofProject.forEach((test, index) => groups[index % groups.length].push(test));
      return groups;
    });
    const files = runs.map((group, index) => {
      if (group.length === 1) return group[0];
      const path = join(dir, `group-${index}.cjs`);
      const specs = JSON.stringify(group.map((test) => test.path));
      writeFileSync(path, `require(${JSON.stringify(join(__dirname, 'grouped-specs.ts'))}).runSpecs(${specs});\n`);
      this.groups.set(path, group);
      return { ...group[0], path };
    });
    return super.runTests(files, watcher, options);
  }

  on(event, listener) {
    return super.on(event, async ([test, outcome, ...more]) => {
      const group = this.groups.get(test?.path);
      if (group === undefined) return listener([test, outcome, ...more]);
      const results =
        event === 'test-file-success' ? apart(group, outcome, this._globalConfig) : group.map(() => outcome);
      for (const [index, member] of group.entries()) await listener([member, results[index]]);
    });
  }
};

/** The result of each file of a group. What broke outside of its tests, such as a hook, is told of the first. */
function apart(group, result, globalConfig) {
  let start = result.perfStats.start;
  return group.map((test, index) => {
    const testResults = result.testResults
      .filter(({ ancestorTitles }) => ancestorTitles[0] === test.path)
      .map((each) => ({
        ...each,
        ancestorTitles: each.ancestorTitles.slice(1),
        fullName: each.fullName.slice(test.path.length + 1),
      }));
    const last = index === group.length - 1;
    const end = last
      ? result.perfStats.end
      : Math.max(start, ...testResults.map(({ startAt, duration }) => (startAt ?? 0) + (duration ?? 0)));
    const perfStats = { ...result.perfStats, start, end, runtime: end - start };
    start = end;
    const count = (...statuses) => testResults.filter(({ status }) => statuses.includes(status)).length;
    const own = index === 0 ? {} : { testExecError: undefined, console: undefined };
    return {
      ...result,
      ...own,
      testFilePath: test.path,
      testResults,
      perfStats,
      numPassingTests: count('passed'),
      numFailingTests: count('failed'),
      numPendingTests: count('pending', 'skipped', 'disabled'),
      numTodoTests: count('todo'),
      failureMessage:
        index === 0 && result.testExecError
          ? result.failureMessage
          : formatResultsErrors(testResults, test.context.config, globalConfig, test.path),
    };
  });
}
