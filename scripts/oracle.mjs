// Compares what the service says with test/oracle. `npm run oracle -- --write` writes the expected bytes anew: review the
// diff. It also tries every mutant of the fixtures.
import { runSpecs } from './commands.mjs';

process.exitCode = process.argv.includes('--write')
  ? runSpecs('unit', 'test/(oracle/|fixture-mutants)', { ORACLE: 'write' })
  : runSpecs('unit', 'test/oracle/');
