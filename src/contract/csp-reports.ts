import * as v from 'valibot'

const word = v.optional(v.pipe(v.string(), v.maxLength(8_000)), '')

/** What a browser blocked: one as `report-uri` sends it, or several as the Reporting API does. */
const legacy = v.pipe(
  v.object({
    'csp-report': v.object({
      'document-uri': word,
      'blocked-uri': word,
      'effective-directive': word,
      'violated-directive': word,
      'source-file': word,
    }),
  }),
  v.transform(({ 'csp-report': report }) => [
    {
      document: report['document-uri'],
      blocked: report['blocked-uri'],
      directive: report['effective-directive'] || report['violated-directive'],
      source: report['source-file'],
    },
  ]),
)

const modern = v.pipe(
  v.array(
    v.object({
      type: v.pipe(v.string(), v.maxLength(100)),
      body: v.object({
        documentURL: word,
        blockedURL: word,
        effectiveDirective: word,
        sourceFile: v.nullish(word, ''),
      }),
    }),
  ),
  v.maxLength(100),
  v.transform((reports) =>
    reports
      .filter(({ type }) => type === 'csp-violation')
      .map(({ body }) => ({
        document: body.documentURL,
        blocked: body.blockedURL,
        directive: body.effectiveDirective,
        source: body.sourceFile ?? '',
      })),
  ),
)

export const CspReports = v.union([legacy, modern], 'Not a report')
export type CspReports = v.InferOutput<typeof CspReports>
