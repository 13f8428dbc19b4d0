export * from './authorization-fate';
export * from './viem-authorization-reader';
