/** Path prefix of all VMaaS endpoints (compute-api.md "Endpoints"). */
export const VMAAS = '/enterprise/v1/{service}-cloud/vmaas';

/** Path prefix of all CaaS endpoints (compute-api.md "Endpoints"; beyond-the-spec.md section 2). */
export const CAAS = '/enterprise/v1/{service}-cloud/caas';
