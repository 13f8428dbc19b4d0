export * from './config';
export { ConfigError, VARIABLES } from './environment';
export type { FacilitatorConfig, PaymentsConfig } from './payments-config';
