export * from './config';
export { ConfigError, VARIABLES } from './environment';
export type { FacilitatorConfig, PaymentsConfig } from './payments-config';
export { given, type Variables } from './variables';
