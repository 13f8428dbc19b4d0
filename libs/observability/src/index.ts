export * from './logger';
export * from './metrics';
export * from './monitor-server';
export * from './request-id';
export * from './sparing';
