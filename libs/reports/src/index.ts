export * from './host-report';
export * from './payment-rails';
