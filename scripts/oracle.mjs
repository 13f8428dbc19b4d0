// Compares the output of the service with test/oracle. `npm run oracle -- --write` rewrites the expected files, so
// review the diff. It also tries every mutant of the fixtures.
import { runSpecs } from './commands.mjs';

process.exitCode = process.argv.includes('--write')
  ? runSpecs('unit', 'test/(oracle/|fixture-mutants)', { ORACLE: 'write' })
  : runSpecs('unit', 'test/oracle/');
