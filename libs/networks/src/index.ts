export * from './accounts';
export * from './chains';
export * from './checked-accounts';
export { GATEWAY_WALLETS, type Token } from './network-row';
export * from './networks';
