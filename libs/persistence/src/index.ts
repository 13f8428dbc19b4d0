export * from './change.repository';
export * from './database';
export * from './host.repository';
export * from './migrate';
export * from './notices';
export * from './payment.repository';
export * from './pulse.repository';
export * from './run.repository';
