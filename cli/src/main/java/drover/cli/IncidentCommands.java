package drover.cli;

import drover.cli.client.DroverClient;
import drover.cli.client.IdPrefixResolver;
import drover.cli.command.DroverRootCommand;
import drover.cli.command.SubcommandGroup;
import drover.cli.rollout.RolloutPrinter;
import drover.cli.rollout.RolloutQueryClient;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.Console;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.Style;
import drover.cli.terminal.TimeTextConverter;
import drover.incident.v1.AcknowledgeIncidentRequest;
import drover.incident.v1.GetIncidentRequest;
import drover.incident.v1.Incident;
import drover.incident.v1.IncidentCategory;
import drover.incident.v1.IncidentState;
import drover.incident.v1.ListIncidentsRequest;
import drover.incident.v1.ListIncidentsResponse;
import drover.incident.v1.ResolveIncidentRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drover incident …}. */
@Command(name = "incident", description = "Incidents: what a person should look at.")
final class IncidentCommands extends SubcommandGroup {
    private static final int PAGE = 1_000;
    private static final int MAX_IDS = 100_000; // more than an operator searches by prefix

    private final DroverRootCommand drover;

    IncidentCommands(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Command(description = "Lists incidents, newest first; those that stand unless --all.")
    int list(
            @Option(names = "--all", description = "Also those that are over.") boolean all,
            @Option(
                            names = "--state",
                            paramLabel = "STATE",
                            defaultValue = "",
                            description = "Only open, acknowledged or resolved ones.")
                    String state,
            @Option(
                            names = "--category",
                            paramLabel = "CATEGORY",
                            defaultValue = "",
                            description = "Only of this category, such as drift.")
                    String category,
            @Option(
                            names = "--node",
                            paramLabel = "NODE",
                            defaultValue = "",
                            description = "Only of this node.")
                    String node,
            @Option(
                            names = "--rollout",
                            paramLabel = "ID",
                            defaultValue = "",
                            description = "Only of this rollout.")
                    String rollout,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "100",
                            description = "At most this many (default: 100).")
                    int limit) {
        ListIncidentsRequest.Builder request =
                ListIncidentsRequest.newBuilder()
                        .setStateValue(
                                EnumNames.parseNumber(
                                        "--state", state, IncidentState.getDescriptor()))
                        .setCategoryValue(
                                EnumNames.parseNumber(
                                        "--category", category, IncidentCategory.getDescriptor()))
                        .setNodeId(node)
                        .setPageSize(limit);
        return drover.withServer(
                server -> {
                    if (!rollout.isEmpty()) {
                        request.setRolloutId(new RolloutQueryClient(server).resolveId(rollout));
                    }
                    ListIncidentsResponse answer =
                            server.incidents().listIncidents(request.build());
                    if (!drover.printIfJson(answer)) {
                        print(answer, all || !state.isEmpty());
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Shows an incident.")
    int show(
            @Parameters(paramLabel = "INCIDENT", description = "Incident, or the start of its id.")
                    String id) {
        return drover.withServer(
                server -> {
                    var answer =
                            server.incidents()
                                    .getIncident(
                                            GetIncidentRequest.newBuilder()
                                                    .setIncidentId(resolveId(server, id))
                                                    .build());
                    if (!drover.printIfJson(answer)) {
                        print(answer.getIncident());
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Says that you look after an incident.")
    int acknowledge(
            @Parameters(paramLabel = "INCIDENT", description = "Incident, or the start of its id.")
                    String id,
            @Option(
                            names = "--note",
                            paramLabel = "TEXT",
                            defaultValue = "",
                            description = "What others should know.")
                    String note) {
        return drover.withServer(
                server -> {
                    var answer =
                            server.idempotentIncidents()
                                    .acknowledgeIncident(
                                            AcknowledgeIncidentRequest.newBuilder()
                                                    .setIncidentId(resolveId(server, id))
                                                    .setNote(note)
                                                    .build());
                    if (!drover.printIfJson(answer)) {
                        drover.console()
                                .printLine(
                                        "Incident %s is looked after by %s."
                                                .formatted(
                                                        id,
                                                        Style.sanitize(
                                                                answer.getIncident()
                                                                        .getAcknowledgedBy())));
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Says that an incident is over.")
    int resolve(
            @Parameters(paramLabel = "INCIDENT", description = "Incident, or the start of its id.")
                    String id,
            @Option(
                            names = "--note",
                            paramLabel = "TEXT",
                            required = true,
                            description = "Why it is over.")
                    String note) {
        return drover.withServer(
                server -> {
                    var answer =
                            server.idempotentIncidents()
                                    .resolveIncident(
                                            ResolveIncidentRequest.newBuilder()
                                                    .setIncidentId(resolveId(server, id))
                                                    .setNote(note)
                                                    .build());
                    if (!drover.printIfJson(answer)) {
                        drover.console().printLine("Incident " + id + " is resolved.");
                    }
                    return CommandFailed.OK;
                });
    }

    private static String resolveId(DroverClient server, String given) {
        return IdPrefixResolver.resolve(given, "incidents", () -> listIds(server));
    }

    private static List<String> listIds(DroverClient server) {
        List<String> ids = new ArrayList<>();
        ListIncidentsRequest.Builder request = ListIncidentsRequest.newBuilder().setPageSize(PAGE);
        do { // ends with the last page, or at the bound
            ListIncidentsResponse page = server.incidents().listIncidents(request.build());
            page.getIncidentsList().forEach(incident -> ids.add(incident.getId()));
            request.setPageToken(page.getNextPageToken());
        } while (!request.getPageToken().isEmpty() && ids.size() < MAX_IDS);
        return ids;
    }

    private void print(ListIncidentsResponse answer, boolean withResolved) {
        Instant now = drover.console().clock().instant();
        ConsoleTable table =
                new ConsoleTable(
                        "INCIDENT", "SEVERITY", "CATEGORY", "STATE", "NODE", "OPENED", "WHY");
        for (Incident incident : answer.getIncidentsList()) {
            if (withResolved || incident.getState() != IncidentState.INCIDENT_STATE_RESOLVED) {
                table.addRow(
                        incident.getId(),
                        EnumNames.nameOrUnknown(incident.getSeverity()),
                        EnumNames.nameOrUnknown(incident.getCategory()),
                        EnumNames.nameOrUnknown(incident.getState()),
                        incident.getNodeId(),
                        TimeTextConverter.relative(incident.getOpenedAt(), now),
                        incident.getSentence());
            }
        }
        if (table.isEmpty()) {
            drover.console().printLine("There is no such incident.");
        } else {
            drover.console().print(table);
        }
    }

    private void print(Incident incident) {
        Console console = drover.console();
        RolloutPrinter.printField(console, "incident", incident.getId());
        RolloutPrinter.printField(
                console,
                "what",
                EnumNames.nameOrUnknown(incident.getCategory())
                        + ", "
                        + EnumNames.nameOrUnknown(incident.getSeverity()));
        RolloutPrinter.printField(console, "state", EnumNames.nameOrUnknown(incident.getState()));
        RolloutPrinter.printField(console, "node", incident.getNodeId());
        RolloutPrinter.printField(console, "rollout", incident.getRolloutId());
        RolloutPrinter.printField(
                console, "why", incident.getCode() + ": " + Style.sanitize(incident.getSentence()));
        RolloutPrinter.printField(console, "plan", Style.sanitize(incident.getRecoveryPlan()));
        RolloutPrinter.printField(
                console, "opened", RolloutPrinter.formatTime(incident.getOpenedAt(), console));
        RolloutPrinter.printField(
                console,
                "looked after",
                RolloutPrinter.actorAndTime(
                        incident.getAcknowledgedBy(), incident.getAcknowledgedAt(), console));
        RolloutPrinter.printField(console, "note", Style.sanitize(incident.getNote()));
        RolloutPrinter.printField(
                console,
                "resolved",
                RolloutPrinter.actorAndTime(
                        incident.getResolvedBy(), incident.getResolvedAt(), console));
        RolloutPrinter.printField(console, "because", Style.sanitize(incident.getResolution()));
    }
}
