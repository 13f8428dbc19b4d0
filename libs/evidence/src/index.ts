export * from './bundle';
export * from './bundle-file';
export * from './derived';
export * from './judge-again';
export * from './limits';
export { Line } from './lines';
export * from './merkle';
export * from './included-line';
