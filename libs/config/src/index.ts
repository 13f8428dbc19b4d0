export { BUCKET_VARIABLES } from './bucket-config';
export * from './config';
export { given, type Variables } from './variables';
export type { FacilitatorConfig, PaymentsConfig } from './payments-config';
