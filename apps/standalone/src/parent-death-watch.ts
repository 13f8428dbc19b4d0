import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { SpawnedProcess } from './embedded/embedded-process';

/** Messages from the parent to the watching process over IPC. The process that was added last is stopped first. */
export type DeathWatchMessage =
  { readonly kind: 'watch'; readonly ward: SpawnedProcess } | { readonly kind: 'forget'; readonly pid: number };

/** Stops our processes if we can no longer do it ourselves. */
export interface ParentDeathWatch {
  readonly pid: number | undefined;
  readonly watch: (ward: SpawnedProcess) => void;
  readonly forget: (ward: SpawnedProcess) => void;
  /** Ends the watching process, which first stops the processes it still watches. */
  readonly dismiss: () => Promise<void>;
}

/** Starts the watching process. It removes `filesToRemove` if this process dies. */
export function startParentDeathWatch(filesToRemove: readonly string[]): ParentDeathWatch {
  const child = fork(join(__dirname, 'parent-death-watch-main.js'), filesToRemove, {
    detached: true, // out of reach of Ctrl-C, which goes to the whole foreground group
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  });
  child.unref();
  child.channel?.unref();
  const tell = (message: DeathWatchMessage) => {
    if (child.connected) child.send(message);
  };
  return {
    pid: child.pid,
    watch: (ward) => {
      tell({ kind: 'watch', ward: { mark: ward.mark, stopSignal: ward.stopSignal } });
    },
    forget: (ward) => {
      tell({ kind: 'forget', pid: ward.mark.pid });
    },
    dismiss: async () => {
      if (!child.connected) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.ref();
      child.disconnect();
      await gone;
    },
  };
}
