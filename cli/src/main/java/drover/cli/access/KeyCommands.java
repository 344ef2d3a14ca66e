package drover.cli.access;

import com.google.protobuf.Timestamp;
import drover.access.v1.ApiKey;
import drover.access.v1.CreateApiKeyRequest;
import drover.access.v1.CreateApiKeyResponse;
import drover.access.v1.ListApiKeysRequest;
import drover.access.v1.ListApiKeysResponse;
import drover.access.v1.RevokeApiKeyRequest;
import drover.access.v1.RevokeApiKeyResponse;
import drover.cli.command.DroverRootCommand;
import drover.cli.command.SubcommandGroup;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.TimeTextConverter;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drover key …}. */
@Command(name = "key", description = "API keys: who may call.")
public final class KeyCommands extends SubcommandGroup {
    private final DroverRootCommand drover;

    public KeyCommands(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Command(description = "Makes a key and prints it; it is shown this once.")
    int create(
            @Parameters(paramLabel = "ID", description = "Its name, which is never used again.")
                    String id,
            @Option(
                            names = "--scope",
                            paramLabel = "SCOPE",
                            required = true,
                            split = ",",
                            description = "What it may do, such as rollouts:read.")
                    List<String> scopes,
            @Option(
                            names = "--for",
                            paramLabel = "DURATION",
                            defaultValue = "2160h",
                            description = "How long it is good for (default: 2160h, 90 days).")
                    String length) {
        CreateApiKeyRequest request =
                CreateApiKeyRequest.newBuilder()
                        .setKeyId(id)
                        .addAllScopes(scopes)
                        .setLifetime(TimeTextConverter.parseDuration("--for", length))
                        .build();
        return drover.withServer(
                server -> {
                    CreateApiKeyResponse answer = server.keys().createApiKey(request);
                    if (!drover.printIfJson(answer)) {
                        drover.console()
                                .printLine(answer.getSecret()); // alone, for $(…) and > file
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Lists all keys, also those that are over; never their secrets.")
    int list() {
        return drover.withServer(
                server -> {
                    ListApiKeysResponse answer =
                            server.keys().listApiKeys(ListApiKeysRequest.getDefaultInstance());
                    if (!drover.printIfJson(answer)) {
                        print(answer);
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Ends a key; it is refused everywhere within 5 s.")
    int revoke(@Parameters(paramLabel = "ID", description = "Key.") String id) {
        return drover.withServer(
                server -> {
                    RevokeApiKeyResponse answer =
                            server.keys()
                                    .revokeApiKey(
                                            RevokeApiKeyRequest.newBuilder().setKeyId(id).build());
                    if (!drover.printIfJson(answer)) {
                        drover.console().printLine("The key " + id + " is revoked.");
                    }
                    return CommandFailed.OK;
                });
    }

    private void print(ListApiKeysResponse keys) {
        Instant now = drover.console().clock().instant();
        ConsoleTable table =
                new ConsoleTable("ID", "STATE", "LAST USED", "EXPIRES", "MADE BY", "SCOPES");
        for (ApiKey key : keys.getKeysList()) {
            table.addRow(
                    key.getId(),
                    state(key, now),
                    TimeTextConverter.relative(key.getLastUsedAt(), now),
                    key.hasExpiresAt()
                            ? TimeTextConverter.relative(key.getExpiresAt(), now)
                            : "never",
                    key.getCreatedBy(),
                    String.join(", ", key.getScopesList()));
        }
        drover.console().print(table);
    }

    private static String state(ApiKey key, Instant now) {
        if (key.hasRevokedAt()) {
            return "revoked";
        }
        return key.hasExpiresAt() && isExpired(key.getExpiresAt(), now) ? "expired" : "good";
    }

    private static boolean isExpired(Timestamp end, Instant now) {
        return !now.isBefore(Instant.ofEpochSecond(end.getSeconds(), end.getNanos()));
    }
}
