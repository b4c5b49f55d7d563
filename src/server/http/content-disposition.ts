/** Characters that file systems refuse become '-'; clients that cannot decode the name get an ASCII one. */
export function contentDisposition(name: string): string {
  const file = name.replaceAll(/["*/:<>?\\|]/gu, '-')
  const encoded = encodeURIComponent(file).replaceAll(/['()*]/gu, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${file.replaceAll(/[^ -~]/gu, '-')}"; filename*=UTF-8''${encoded}`
}
