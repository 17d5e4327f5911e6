/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal report. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

#define SHOWN_WITNESSES 3
#define COLUMN_ELEMS 6 /* this and the next are numbers, set flush right */

static void write_row(FILE *out, char cells[QC_ROW_CELLS][QC_CELL], const int *widths)
{
    for (int i = 0; i < QC_ROW_CELLS - 1; i++) {
        const int is_number = i == COLUMN_ELEMS || i == COLUMN_ELEMS + 1;
        fprintf(out, "%*s  ", is_number ? widths[i] : -widths[i], cells[i]);
    }
    fprintf(out, "%s\n", cells[QC_ROW_CELLS - 1]);
}

static void write_table(FILE *out, const qc_row *rows, size_t count)
{
    char cells[QC_ROW_CELLS][QC_CELL];
    int widths[QC_ROW_CELLS];
    for (int i = 0; i < QC_ROW_CELLS; i++) {
        widths[i] = (int)strlen(qc_row_heads[i]);
    }
    for (size_t row = 0; row < count; row++) {
        qc_row_cells(&rows[row], cells);
        for (int i = 0; i < QC_ROW_CELLS; i++) {
            widths[i] =
                (int)strlen(cells[i]) > widths[i] ? (int)strlen(cells[i]) : widths[i];
        }
    }
    for (int i = 0; i < QC_ROW_CELLS; i++) {
        strcpy(cells[i], qc_row_heads[i]);
    }
    write_row(out, cells, widths);
    for (size_t row = 0; row < count; row++) {
        qc_row_cells(&rows[row], cells);
        write_row(out, cells, widths);
    }
}

static void write_pick(FILE *out, const qc_pick *pick, const qc_run_info *info)
{
    const qc_witness *witness = pick->witness;
    char id[QC_GROUP_ID], finding[QC_FINDING_ID];
    qc_group_id(&pick->result->group, id);
    qc_finding_id(info->backend, pick->result, finding);
    fprintf(out, "\n  %s in %s\n    input: ", qc_verdict_name(witness->verdict), id);
    qc_witness_input(out, witness);
    qc_witness_facts(out, witness);
    fprintf(out, "\n    id:    %s\n    repro: ", finding);
    qc_witness_repro(out, witness, info);
    fputc('\n', out);
}

static void write_findings(FILE *out, const qc_finding *findings, size_t count,
                           const qc_run_info *info)
{
    for (size_t i = 0; i < count; i++) {
        fputc('\n', out);
        qc_finding_title(out, &findings[i]);
        fputc('\n', out);
        for (size_t k = 0; k < findings[i].pick_count; k++) {
            write_pick(out, &findings[i].picks[k], info);
        }
    }
}

static qc_status write_report(FILE *out, const qc_run_info *info,
                              const qc_group_result *results, size_t count, size_t most)
{
    size_t row_count = 0, finding_count = 0;
    const qc_group_result **sorted = qc_results_sort(results, count);
    qc_row *rows = sorted ? qc_rows_make(sorted, count, &row_count) : NULL;
    qc_finding *findings =
        rows ? qc_findings_make(sorted, count, most, &finding_count) : NULL;
    const qc_status status = findings ? QC_OK : QC_NO_MEMORY;
    if (status == QC_OK) {
        qc_title_write(out, info);
        fputs("\n\n", out);
        write_table(out, rows, row_count);
        write_findings(out, findings, finding_count, info);
        fputc('\n', out);
        qc_notes_write(out, sorted, count, "");
        qc_summary_write(out, info, results, count, "");
    }
    qc_findings_free(findings, finding_count);
    free(rows);
    free(sorted);
    return status == QC_OK ? qc_out_status(out) : status;
}

qc_status qc_report_text(FILE *out, const qc_run_info *info,
                         const qc_group_result *results, size_t count)
{
    return write_report(out, info, results, count, SHOWN_WITNESSES);
}

qc_status qc_report_verbose(FILE *out, const qc_run_info *info,
                            const qc_group_result *results, size_t count)
{
    return write_report(out, info, results, count, SIZE_MAX);
}
