/* SPDX-License-Identifier: Apache-2.0 */
/* The report as Markdown, for a pull request. */
#include <stdlib.h>
#include <string.h>

#include "rows.h"

#define SHOWN_WITNESSES 3

/* Text outside code: what Markdown or HTML would take for its own is escaped. */
static void write_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\`*|<&", *text) != NULL) {
            fputc('\\', out);
        }
        fputc(*text == '\n' ? ' ' : *text, out);
    }
}

static void write_table(FILE *out, const qc_row *rows, size_t count)
{
    char cells[QC_ROW_CELLS][QC_CELL];
    for (int i = 0; i < QC_ROW_CELLS; i++) {
        fprintf(out, "| %s ", qc_row_heads[i]);
    }
    fputs("|\n", out);
    for (int i = 0; i < QC_ROW_CELLS; i++) {
        fputs(i == 6 || i == 7 ? "|---:" : "|---", out);
    }
    fputs("|\n", out);
    for (size_t row = 0; row < count; row++) {
        qc_row_cells(&rows[row], cells);
        for (int i = 0; i < QC_ROW_CELLS; i++) {
            fputs("| ", out);
            write_escaped(out, cells[i]);
            fputc(' ', out);
        }
        fputs("|\n", out);
    }
}

/* An indented block: unlike a fence, nothing that it holds can close it. */
static void write_pick(FILE *out, const qc_pick *pick, const qc_run_info *info)
{
    const qc_witness *witness = pick->witness;
    char id[QC_GROUP_ID], finding[QC_FINDING_ID];
    qc_group_id(&pick->result->group, id);
    qc_finding_id(info->backend, pick->result, finding);
    fprintf(out, "\n    %s in %s\n    input: ", qc_verdict_name(witness->verdict), id);
    qc_witness_input(out, witness);
    qc_witness_facts(out, witness);
    fprintf(out, "\n    id:    %s\n    repro: ", finding);
    qc_witness_repro(out, witness, info);
    fputc('\n', out);
}

static void write_title(FILE *out, const qc_run_info *info,
                        const qc_group_result *results, size_t count)
{
    char reason[QC_REPORT_REASON];
    qc_report_exit(info, results, count, reason);
    fputs("## ", out);
    write_escaped(out, info->backend);
    fputc(' ', out);
    write_escaped(out, info->backend_version);
    fprintf(out, ": %s\n\n`", reason);
    qc_title_write(out, info);
    fputs("`\n\n", out);
}

qc_status qc_report_markdown(FILE *out, const qc_run_info *info,
                             const qc_group_result *results, size_t count)
{
    size_t row_count = 0, finding_count = 0;
    const qc_group_result **sorted = qc_results_sort(results, count);
    qc_row *rows = sorted ? qc_rows_make(sorted, count, &row_count) : NULL;
    qc_finding *findings =
        rows ? qc_findings_make(sorted, count, SHOWN_WITNESSES, &finding_count) : NULL;
    const qc_status status = findings ? QC_OK : QC_NO_MEMORY;
    if (status == QC_OK) {
        write_title(out, info, results, count);
        write_table(out, rows, row_count);
        for (size_t i = 0; i < finding_count; i++) {
            fputs("\n### ", out);
            qc_finding_title(out, &findings[i]);
            fputc('\n', out);
            for (size_t k = 0; k < findings[i].pick_count; k++) {
                write_pick(out, &findings[i].picks[k], info);
            }
        }
        fputc('\n', out);
        qc_notes_write(out, sorted, count, "- ");
        qc_summary_write(out, info, results, count, "- ");
    }
    qc_findings_free(findings, finding_count);
    free(rows);
    free(sorted);
    return status == QC_OK ? qc_out_status(out) : status;
}
