import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the project: the code is in different depths of it before and after a build. */
export function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}
