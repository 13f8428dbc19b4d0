// Bundles the files that pages load into dist/pages, for the build and for jest, whose tests read the same files.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

const { outputFiles } = buildSync({
  entryPoints: ['page.css', 'page.js', 'wallet.js', 'progress.js', 'verify.js', 'glyphs.json'].map(
    (name) => `apps/gateway/browser/${name}`,
  ),
  outdir: 'dist/pages',
  loader: { '.json': 'copy' },
  bundle: true,
  minify: true,
  charset: 'utf8',
  format: 'iife',
  target: 'es2022',
  tsconfigRaw: {},
  write: false,
});
mkdirSync('dist/pages', { recursive: true });
for (const { path, text } of outputFiles) {
  // Written only if changed, so that a service that is starting never reads half a file.
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}
