export * from './bundle';
export * from './bundle-file';
export * from './derived';
export * from './judge-again';
export * from './limits';
export { Line } from './lines';
export { includedLine, leafHash, type IncludedLine } from './merkle';
