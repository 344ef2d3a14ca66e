package drover.cli.access;

import com.google.protobuf.Timestamp;
import drover.access.v1.CreateJoinTokenRequest;
import drover.access.v1.CreateJoinTokenResponse;
import drover.access.v1.JoinToken;
import drover.access.v1.ListJoinTokensRequest;
import drover.access.v1.ListJoinTokensResponse;
import drover.access.v1.RevokeJoinTokenRequest;
import drover.access.v1.RevokeJoinTokenResponse;
import drover.cli.command.DroverRootCommand;
import drover.cli.command.SubcommandGroup;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.TimeTextConverter;
import java.time.Instant;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drover token …}. */
@Command(name = "token", description = "Join tokens: which machines become nodes.")
public final class TokenCommands extends SubcommandGroup {
    private final DroverRootCommand drover;

    public TokenCommands(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Command(description = "Makes a join token and prints it; it is shown this once.")
    int create(
            @Option(
                            names = "--chain",
                            paramLabel = "PROFILE",
                            required = true,
                            description = "Chain profile of the nodes that it makes.")
                    String chain,
            @Option(
                            names = "--type",
                            paramLabel = "TYPE",
                            required = true,
                            description = "Type of the nodes that it makes.")
                    String type,
            @Option(
                            names = "--node",
                            paramLabel = "ID",
                            defaultValue = "",
                            description =
                                    "The node that it makes; without it each machine gets an id"
                                            + " that is made up.")
                    String node,
            @Option(
                            names = "--label",
                            paramLabel = "NAME=VALUE",
                            description = "A label of the nodes that it makes.")
                    Map<String, String> labels,
            @Option(
                            names = "--uses",
                            paramLabel = "N",
                            defaultValue = "1",
                            description = "How many machines it can make nodes (default: 1).")
                    int uses,
            @Option(
                            names = "--for",
                            paramLabel = "DURATION",
                            defaultValue = "30m",
                            description = "How long it is good for, at most 24h (default: 30m).")
                    String length) {
        CreateJoinTokenRequest request =
                CreateJoinTokenRequest.newBuilder()
                        .setChainProfileId(chain)
                        .setNodeType(type)
                        .setNodeId(node)
                        .putAllLabels(labels == null ? Map.of() : labels)
                        .setMaxUses(uses)
                        .setLifetime(TimeTextConverter.parseDuration("--for", length))
                        .build();
        return drover.withServer(
                server -> {
                    CreateJoinTokenResponse answer = server.tokens().createJoinToken(request);
                    if (!drover.printIfJson(answer)) {
                        drover.console()
                                .printLine(answer.getSecret()); // alone, for $(…) and > file
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Lists the join tokens of the last 30 days; never their secrets.")
    int list() {
        return drover.withServer(
                server -> {
                    ListJoinTokensResponse answer =
                            server.tokens()
                                    .listJoinTokens(ListJoinTokensRequest.getDefaultInstance());
                    if (!drover.printIfJson(answer)) {
                        print(answer);
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Ends a join token; nodes that it made stay nodes.")
    int revoke(@Parameters(paramLabel = "ID", description = "Join token.") String id) {
        return drover.withServer(
                server -> {
                    RevokeJoinTokenResponse answer =
                            server.tokens()
                                    .revokeJoinToken(
                                            RevokeJoinTokenRequest.newBuilder()
                                                    .setTokenId(id)
                                                    .build());
                    if (!drover.printIfJson(answer)) {
                        drover.console().printLine("The join token " + id + " is revoked.");
                    }
                    return CommandFailed.OK;
                });
    }

    private void print(ListJoinTokensResponse tokens) {
        Instant now = drover.console().clock().instant();
        ConsoleTable table =
                new ConsoleTable(
                        "ID", "STATE", "USES", "EXPIRES", "MADE BY", "CHAIN", "TYPE", "NODE");
        for (JoinToken token : tokens.getTokensList()) {
            table.addRow(
                    token.getId(),
                    state(token, now),
                    token.getUses() + " of " + token.getMaxUses(),
                    TimeTextConverter.relative(token.getExpiresAt(), now),
                    token.getCreatedBy(),
                    token.getChainProfileId(),
                    token.getNodeType(),
                    token.getNodeId().isEmpty() ? "any" : token.getNodeId());
        }
        drover.console().print(table);
    }

    private static String state(JoinToken token, Instant now) {
        if (token.hasRevokedAt()) {
            return "revoked";
        }
        if (isExpired(token.getExpiresAt(), now)) {
            return "expired";
        }
        return token.getUses() < token.getMaxUses() ? "good" : "used up";
    }

    private static boolean isExpired(Timestamp end, Instant now) {
        return !now.isBefore(Instant.ofEpochSecond(end.getSeconds(), end.getNanos()));
    }
}
