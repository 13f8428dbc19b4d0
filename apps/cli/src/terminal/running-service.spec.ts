import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningFile } from '../../../standalone/src/running-file';
import { hostOf } from './exit-codes';
import { databaseOf, withDemoHosts, withRunningService } from './running-service';

const RUNNING: RunningFile = {
  gateway: 'http://127.0.0.1:3000',
  database: 'postgresql://embedded@127.0.0.1:5000/hostprobe',
  redis: null,
  rpc: 'http://127.0.0.1:5001',
  facilitator: 'http://127.0.0.1:5002',
  payTo: '0x1111111111111111111111111111111111111111',
  demoWallet: null,
  demoHosts: { connectTo: 'bare.example.com:443=127.0.0.1:5003', caFile: '/data/demo-ca.pem' },
  pids: {},
};

function dataDir(running?: RunningFile): string {
  const dir = mkdtempSync(join(tmpdir(), 'hostprobe-running-'));
  if (running) writeFileSync(join(dir, 'running.json'), JSON.stringify(running));
  return dir;
}

describe('the service that a command uses', () => {
  it('is the one that runs on this machine, unless variables name another', () => {
    const DATA_DIR = dataDir(RUNNING);
    expect(withRunningService({ DATA_DIR })).toEqual({
      DATA_DIR,
      DATABASE_URL: RUNNING.database,
      RPC_URL_8453: RUNNING.rpc,
      X402_PAY_TO: RUNNING.payTo,
    });
    const named = { DATA_DIR, DATABASE_URL: 'postgresql://u@db.example.com/hostprobe' };
    expect(withRunningService(named)).toEqual(named);
  });

  it('keeps variables that are set, and adds the node of the chain that it sells on', () => {
    const env = { DATA_DIR: dataDir(RUNNING), X402_NETWORK: 'eip155:84532', X402_PAY_TO: '0x2' };
    expect(withRunningService(env)).toMatchObject({ RPC_URL_84532: RUNNING.rpc, X402_PAY_TO: '0x2' });
  });

  it('is empty when no service runs here', () => {
    const env = { DATA_DIR: dataDir() };
    expect(withRunningService(env)).toEqual(env);
  });

  it('connects probes to its demo hosts, and to no other host', () => {
    const env = { DATA_DIR: dataDir(RUNNING) };
    expect(withDemoHosts(hostOf('bare.example.com'), env)).toEqual({
      ...env,
      PROBE_CONNECT_TO: 'bare.example.com:443=127.0.0.1:5003',
      PROBE_CA_FILE: '/data/demo-ca.pem',
    });
    expect(withDemoHosts(hostOf('shop.example.com'), env)).toBe(env);
    const mapped = { ...env, PROBE_CONNECT_TO: 'bare.example.com:443=127.0.0.1:1' };
    expect(withDemoHosts(hostOf('bare.example.com'), mapped)).toBe(mapped);
    expect(withDemoHosts(hostOf('bare.example.com'), { DATA_DIR: dataDir() })).toEqual({
      DATA_DIR: expect.any(String),
    });
  });

  it('names its database, or says which variables could name one', () => {
    expect(databaseOf({ DATA_DIR: dataDir(RUNNING) }).url).toBe(RUNNING.database);
    expect(databaseOf({ DATA_DIR: dataDir(RUNNING), DATABASE_URL: 'postgresql://u@db/x' }).url).toBe(
      'postgresql://u@db/x',
    );
    expect(() => databaseOf({ DATA_DIR: dataDir() })).toThrow('set DATABASE_URL, or DATA_DIR');
  });
});
