package dev.tandem.benchmarks;

import dev.tandem.benchmarks.Budget.Numbers;
import dev.tandem.kit.MachineInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** What came of a run, as a table for people or as JSON for scripts. */
record Report(MachineInfo machine, List<String> brokers, List<Measured> lines) {

    static final String LOAD = "load average";

    private static final List<String> COLUMNS = List.of("what", "budget", "measured", "reached");

    String table() {
        List<List<String>> rows = new ArrayList<>(List.of(COLUMNS));
        for (Measured line : lines) {
            rows.add(List.of(line.what(), line.budget().text(line.unit()), value(line), reached(line)));
        }
        int[] widths = new int[COLUMNS.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < rows.size(); i++) {
            text.append(row(rows.get(i), widths));
            if (i == 0) {
                text.append(row(List.of("---", "---", "---", "---"), widths));
            }
        }
        text.append("\n").append(machine.text(LOAD)).append("\n");
        brokers.forEach(broker -> text.append(broker).append("\n"));
        return text.toString();
    }

    private static String row(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder("|");
        for (int i = 0; i < cells.size(); i++) {
            String cell = cells.get(i);
            line.append(' ')
                    .append(cell)
                    .append(" ".repeat(widths[i] - cell.length()))
                    .append(" |");
        }
        return line.append('\n').toString();
    }

    private static String value(Measured line) {
        String note = line.note();
        String value = line.isMissing() ? "not measured" : Numbers.text(line.value(), line.unit());
        return note == null ? value : value + " (" + note + ")";
    }

    private static String reached(Measured line) {
        if (line.isMissing() || line.budget() instanceof Budget.None) {
            return "";
        }
        double off = line.budget().offPercent(line.value());
        return line.budget().reached(line.value()) ? "yes" : String.format(Locale.ROOT, "no, %.0f %% off", off);
    }

    String json() {
        List<Map<String, Object>> measured = new ArrayList<>();
        for (Measured line : lines) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("what", line.what());
            one.put("unit", line.unit());
            if (line.budget() instanceof Budget.AtLeast least) {
                one.put("atLeast", least.value());
            } else if (line.budget() instanceof Budget.AtMost most) {
                one.put("atMost", most.value());
            }
            if (!line.isMissing()) {
                one.put("measured", line.value());
                if (!(line.budget() instanceof Budget.None)) {
                    one.put("reached", line.budget().reached(line.value()));
                }
            }
            if (line.note() != null) {
                one.put("note", line.note());
            }
            measured.add(one);
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("machine", machine);
        all.put("brokers", brokers);
        all.put("measured", measured);
        return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(all);
    }

    boolean reached() {
        return lines.stream()
                .allMatch(line -> !line.isMissing() && line.budget().reached(line.value()));
    }
}
