import { dirname } from 'node:path';

const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-amd64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-amd64',
  'darwin-arm64': 'darwin-arm64',
};

/** Path of the anvil program that npm's `@foundry-rs/anvil` brings for this platform (glibc 2.35 or newer on Linux). */
export function anvilBinary(): string {
  const platform = PLATFORMS[`${process.platform}-${process.arch}`];
  try {
    if (platform === undefined) throw new Error('no such build');
    const launcher = dirname(require.resolve('@foundry-rs/anvil/package.json'));
    return require.resolve(`@foundry-rs/anvil-${platform}/bin/anvil`, { paths: [launcher] });
  } catch (cause) {
    throw new Error(
      `no local chain for ${process.platform}-${process.arch} is installed (npm package @foundry-rs/anvil); ` +
        'set X402_FACILITATOR_URL, X402_PAY_TO and RPC_URL_8453 to use a real one',
      { cause },
    );
  }
}
