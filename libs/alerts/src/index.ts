export * from './alert';
export * from './body';
export * from './schedule';
export * from './signature';
export * from './watch-key';
export * from './webhook-keys';
