package drover.cli.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import com.google.rpc.Code;
import drover.access.v1.CreateApiKeyRequest;
import drover.access.v1.RevokeApiKeyRequest;
import drover.cli.CommandResult;
import drover.cli.FakeDrover;
import drover.cli.terminal.CommandFailed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys: those that commands make, and those that they bring. */
final class KeyCommandsTest {
    private static final String ROLLOUT = "7d1e0000-0000-4000-8000-000000000001";

    @TempDir Path folder;
    @AutoClose private final FakeDrover drover = new FakeDrover();

    @Test
    void aNewKeyIsPrintedAlone() {
        CommandResult typed =
                CommandResult.on(
                        drover,
                        "key",
                        "create",
                        "ci",
                        "--scope",
                        "rollouts:read,audit:read",
                        "--for",
                        "24h");
        assertThat(typed.out()).isEqualTo("ak1.ci.secret\n");
        assertThat(drover.requested)
                .containsExactly(
                        CreateApiKeyRequest.newBuilder()
                                .setKeyId("ci")
                                .addScopes("rollouts:read")
                                .addScopes("audit:read")
                                .setLifetime(Durations.fromHours(24))
                                .build());
    }

    @Test
    void keysAreListedWithWhatTheyAreWorth() {
        assertThat(CommandResult.on(drover, "key", "list").out().lines())
                .anySatisfy(line -> assertThat(line).matches("admin +good +2m ago +never .*"))
                .anySatisfy(line -> assertThat(line).matches("ci +expired +never +1h ago .*"))
                .anySatisfy(line -> assertThat(line).matches("old +revoked .*rollouts:read"));
    }

    @Test
    void aKeyIsRevoked() {
        assertThat(CommandResult.on(drover, "key", "revoke", "ci").out())
                .isEqualTo("The key ci is revoked.\n");
        assertThat(drover.requested)
                .containsExactly(RevokeApiKeyRequest.newBuilder().setKeyId("ci").build());
    }

    private Path key(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void aKeyFileThatEveryUserCanReadIsRejected() throws IOException {
        Path file = key("open", "ak1.file.x\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        CommandResult typed = typed(Map.of(), "rollout", "list", "--key-file", file.toString());
        assertThat(typed.exitCode()).isEqualTo(CommandFailed.USAGE);
        assertThat(typed.err()).contains("can be read by every user", "chmod 600");
        assertThat(drover.requested).isEmpty();
    }

    @Test
    void withoutAKeyNoneIsSent() {
        CommandResult.on(drover, "rollout", "list");
        assertThat(drover.brought).containsExactly("");
    }

    @Test
    void aNamedFileWinsOverTheVariable() throws IOException {
        Path file = key("k", "ak1.file.x\n");
        typed(Map.of("DROVER_KEY", "ak1.env.x"), "rollout", "list", "--key-file", file.toString());
        typed(Map.of("DROVER_KEY", " ak1.env.x\n"), "rollout", "list");
        assertThat(drover.brought).containsExactly("Bearer ak1.file.x", "Bearer ak1.env.x");
    }

    /** T14: with a data directory elsewhere, each command needed --key-file. */
    @Test
    void aVariableNamesTheKeyFileUnlessThereIsAKeyOrAnOption() throws IOException {
        key("admin.key", "ak1.admin.x\n");
        Path file = key("k", "ak1.file.x\n");
        String directory = folder.toString();
        typed(Map.of("DROVER_KEY_FILE", directory), "rollout", "list");
        typed(Map.of("DROVER_KEY_FILE", directory, "DROVER_KEY", "ak1.e.x"), "rollout", "list");
        typed(
                Map.of("DROVER_KEY_FILE", directory),
                "rollout",
                "list",
                "--key-file",
                file.toString());
        assertThat(drover.brought)
                .containsExactly("Bearer ak1.admin.x", "Bearer ak1.e.x", "Bearer ak1.file.x");
    }

    @Test
    void inADirectoryApprovingBringsTheApproversKey() throws IOException {
        key("admin.key", "ak1.admin.x\n");
        key("approver.key", "ak1.approver.x\n");
        typed(Map.of(), "rollout", "pause", ROLLOUT, "--key-file", folder.toString());
        assertThat(drover.brought).doesNotContain("Bearer ak1.approver.x");
        drover.brought.clear();
        approves();
        assertThat(drover.brought.getLast()).isEqualTo("Bearer ak1.approver.x");
        Files.delete(folder.resolve("approver.key"));
        approves();
        assertThat(drover.brought.getLast()).isEqualTo("Bearer ak1.admin.x");
    }

    @Test
    void reportsAnInvalidKeyFile() throws IOException {
        String nowhere = folder.resolve("nowhere").toString();
        CommandResult missing = typed(Map.of(), "rollout", "list", "--key-file", nowhere);
        assertThat(missing.exitCode()).isEqualTo(CommandFailed.USAGE);
        assertThat(missing.err())
                .isEqualTo(
                        "The key file %s cannot be read; name another with --key-file.\n"
                                .formatted(nowhere));
        Path empty = key("empty", "\n");
        assertThat(typed(Map.of(), "rollout", "list", "--key-file", empty.toString()).err())
                .contains("holds no key");
        assertThat(drover.requested).isEmpty();
    }

    @Test
    void callerWithoutAKeyReceivesTheOption() {
        drover.refuse(Code.UNAUTHENTICATED, "CREDENTIAL_MISSING", "This call needs a key.");
        CommandResult typed = CommandResult.on(drover, "rollout", "list");
        assertThat(typed.exitCode()).isEqualTo(CommandFailed.FAILED);
        assertThat(typed.err()).contains("This call needs a key.", "--key-file");
    }

    private void approves() {
        String keys = folder.toString();
        typed(
                Map.of(),
                "rollout",
                "approve",
                ROLLOUT,
                "--evidence",
                "sha256:x",
                "--key-file",
                keys);
    }

    private CommandResult typed(Map<String, String> environment, String... words) {
        return CommandResult.in(environment, drover, words);
    }
}
