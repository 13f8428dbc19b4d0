export { ProcessEnd } from './process-end';
export { Failures } from './failures';
export * from './logger';
export * from './metrics';
export * from './monitor-server';
export * from './request-id';
