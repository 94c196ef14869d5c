/**
 * The header `content-disposition` of a download (RFC 6266). A header contains only
 * ASCII, so `filename*` has the complete name.
 */
export function attachment(name: string): string {
  const ascii = name.replaceAll(/[^ !#-$&-[\]-~]/gu, "_");
  const encoded = encodeURIComponent(name)
    .replaceAll(
      /['()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
