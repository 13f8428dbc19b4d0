// Some registry mirrors only carry the platform packages for their own machines. npm then writes a lock file without
// the others, which `npm ci` rejects. This script adds the missing optional entries, by version only.
import { readFileSync, writeFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const packages = lock.packages;
let added = 0;
for (const [path, pkg] of Object.entries({ ...packages })) {
  if (!pkg.link) delete pkg.resolved; // for a link, the folder
  for (const [name, version] of Object.entries(pkg.optionalDependencies ?? {})) {
    if (!/^\d/.test(version)) continue;
    if (packages[`node_modules/${name}`] || packages[`${path}/node_modules/${name}`]) continue;
    const tail = name.split('/').pop();
    const os = /darwin|linux|win32|windows|freebsd|android|openharmony/.exec(tail)?.[0]?.replace('windows', 'win32');
    const cpu = /arm64|amd64|x64|ia32|ppc64|s390x|riscv64|loong64|arm/.exec(tail)?.[0]?.replace('amd64', 'x64');
    if (!os || !cpu) continue;
    packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(pkg.dev ? { dev: true } : {}),
      optional: true,
      os: [os],
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`added ${added} optional entries\n`);
