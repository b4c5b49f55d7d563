/** Where owners try the first request. */
export const tryPath = '/admin/try'
