export * from './claims';
export * from './hashes';
export * from './key-ring';
export * from './key-set';
export * from './statement-jws';
