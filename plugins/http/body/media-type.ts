/** Whether a Content-Type is that of a multipart form (RFC 7578 §4). */
export const isForm = (contentType: string): boolean => /^multipart\/form-data\s*(;|$)/i.test(contentType);
