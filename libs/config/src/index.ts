export * from './config';
export { ConfigError, VARIABLES } from './environment';
