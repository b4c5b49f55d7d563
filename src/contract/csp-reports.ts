import * as v from 'valibot'

const reportText = v.optional(v.pipe(v.string(), v.maxLength(8_000)), '')

/** What a browser blocked: a single report, as `report-uri` sends it, or a list from the Reporting API. */
const reportUriFormat = v.pipe(
  v.object({
    'csp-report': v.object({
      'document-uri': reportText,
      'blocked-uri': reportText,
      'effective-directive': reportText,
      'violated-directive': reportText,
      'source-file': reportText,
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

const reportingApiFormat = v.pipe(
  v.array(
    v.object({
      type: v.pipe(v.string(), v.maxLength(100)),
      body: v.object({
        documentURL: reportText,
        blockedURL: reportText,
        effectiveDirective: reportText,
        sourceFile: v.nullish(reportText, ''),
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

export const CspReports = v.union([reportUriFormat, reportingApiFormat], 'Not a report')
export type CspReports = v.InferOutput<typeof CspReports>
