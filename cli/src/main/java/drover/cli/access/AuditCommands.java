package drover.cli.access;

import drover.audit.v1.AuditFinding;
import drover.audit.v1.VerifyHistoryRequest;
import drover.audit.v1.VerifyHistoryResponse;
import drover.cli.client.DroverClient;
import drover.cli.command.DroverRootCommand;
import drover.cli.command.SubcommandGroup;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.ConsoleTable;
import picocli.CommandLine.Command;

/** {@code drover audit …}. */
@Command(name = "audit", description = "Whether the history is what was written.")
public final class AuditCommands extends SubcommandGroup {
    private final DroverRootCommand drover;

    public AuditCommands(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Command(description = "Checks every history; exit code 1 when one was changed.")
    int verify() {
        return drover.withServer(
                server -> {
                    VerifyHistoryResponse whole = verifyAllPages(server);
                    if (!drover.printIfJson(whole)) {
                        print(whole);
                    }
                    return whole.getFindingsCount() == 0 ? CommandFailed.OK : CommandFailed.FAILED;
                });
    }

    /** Ends with the histories there are; each call goes on for some seconds. */
    private static VerifyHistoryResponse verifyAllPages(DroverClient server) {
        VerifyHistoryResponse.Builder whole = VerifyHistoryResponse.newBuilder();
        String place = "";
        do {
            VerifyHistoryResponse part =
                    server.audit()
                            .verifyHistory(
                                    VerifyHistoryRequest.newBuilder().setPageToken(place).build());
            whole.setHistories(whole.getHistories() + part.getHistories())
                    .setEntries(whole.getEntries() + part.getEntries())
                    .addAllFindings(part.getFindingsList());
            place = part.getNextPageToken();
        } while (!place.isEmpty());
        return whole.build();
    }

    private static String findingSubject(AuditFinding finding) {
        if (finding.getKeys()) {
            return "keys";
        }
        return finding.getRolloutId().isEmpty() ? "group" : "rollout";
    }

    private void print(VerifyHistoryResponse whole) {
        ConsoleTable table = new ConsoleTable("HISTORY OF", "ID", "ENTRY", "WHAT IS WRONG");
        for (AuditFinding finding : whole.getFindingsList()) {
            table.addRow(
                    findingSubject(finding),
                    finding.getRolloutId()
                            + finding.getGroupId()
                            + finding.getKeyId(), // one, or none
                    finding.getEntry() == 0 ? "" : Long.toString(finding.getEntry()),
                    finding.getSentence());
        }
        String counted =
                "%d histories with %d entries".formatted(whole.getHistories(), whole.getEntries());
        if (table.isEmpty()) {
            drover.console().printLine(counted + ": all as they were written.");
        } else {
            drover.console().print(table);
            drover.console().printLine(counted + ": some are not as they were written.");
        }
    }
}
