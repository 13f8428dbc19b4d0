import type { Address, Hex } from 'viem';
import type { DemoHosts } from './demo/demo-hosts';

/** The running processes and how to reach them (behaviour 13.3). Contains passwords and a key, hence mode 600. */
export interface RunningFile {
  /** Base URL of the gateway. */
  readonly gateway: string;
  readonly database: string;
  /** Null if the queue is on Postgres. */
  readonly redis: string | null;
  readonly rpc: string | null;
  readonly facilitator: string | null;
  readonly payTo: Address | null;
  /** Null if real money is configured. */
  readonly demoWallet: { readonly address: Address; readonly privateKey: Hex } | null;
  /** How this machine reaches the demo hosts; null without them. */
  readonly demoHosts: Pick<DemoHosts, 'connectTo' | 'caFile'> | null;
  /** Process ids by part. */
  readonly pids: Readonly<Record<string, number>>;
}
