import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The root folder of the project. It is searched for because a build puts this file at another depth. */
export function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}
