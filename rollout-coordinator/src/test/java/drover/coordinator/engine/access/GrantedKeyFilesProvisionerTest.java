package drover.coordinator.engine.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.access.ConfiguredApiKeyGrant;
import drover.coordinator.access.PlaintextApiKey;
import drover.coordinator.store.memory.InMemoryApiKeyStore;
import drover.kit.access.Principal;
import drover.kit.access.Scope;
import drover.model.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GrantedKeyFilesProvisionerTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    @TempDir Path folder;
    private final InMemoryApiKeyStore store = new InMemoryApiKeyStore(() -> NOW);

    @Test
    @DisplayName("H14: granted keys stand in files that their owner alone can read")
    void grantedKeysAreInFilesAndGood() throws IOException {
        keep();
        for (String id : List.of("admin", "approver")) {
            Path file = folder.resolve(id + ".key");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(Files.readString(file)).matches("ak1\\." + id + "\\.[A-Za-z0-9_-]{43}\n");
            assertThat(verified(key(id)).actor()).isEqualTo("key:" + id);
        }
        assertThat(verified(key("admin")).scopes()).isEqualTo(ConfiguredApiKeyGrant.ADMIN.scopes());
        assertThat(folder).isDirectoryNotContaining("glob:**.new");
    }

    @Test
    void aKeyStaysOverStarts() throws IOException {
        keep();
        String before = key("admin");
        keep();
        assertThat(key("admin")).isEqualTo(before);
    }

    @Test
    void aNewDatabaseTakesTheKeysThatAreThere() throws IOException {
        keep();
        String before = key("admin");
        InMemoryApiKeyStore empty = new InMemoryApiKeyStore(() -> NOW);
        new GrantedKeyFilesProvisioner(folder, empty).ensureGranted(ConfiguredApiKeyGrant.DEFAULTS);
        assertThat(key("admin")).isEqualTo(before);
        assertThat(empty.find("admin").orElseThrow().secret())
                .isEqualTo(PlaintextApiKey.parse(before).orElseThrow().digest());
    }

    @Test
    void aLostOrBrokenFileIsMadeAgainAndTheOldKeyEnds() throws IOException {
        keep();
        String before = key("admin");
        Files.writeString(folder.resolve("admin.key"), "scratched");
        keep();
        assertThat(key("admin")).isNotEqualTo(before);
        assertThat(verified(key("admin")).id()).isEqualTo("admin");
        assertThatThrownBy(() -> verified(before)).hasMessageContaining("not one that is taken");
    }

    @Test
    @DisplayName("H7: a revoked key does not come back by a restart; its file gets another")
    void aRevokedKeyIsReplaced() throws IOException {
        keep();
        String leaked = key("admin");
        store.revoke("admin", "key:admin");
        keep();
        assertThat(key("admin")).isNotEqualTo(leaked);
        assertThat(verified(key("admin")).id()).isEqualTo("admin");
        assertThatThrownBy(() -> verified(leaked)).hasMessageContaining("not one that is taken");
    }

    @Test
    void aKeyThatACallerMadeIsNotTakenOver() {
        store.addIfAbsent(
                "ci", Digest.of("x"), Set.of(Scope.ROLLOUTS_READ), "key:admin", Duration.ofDays(1));
        ConfiguredApiKeyGrant grant = ConfiguredApiKeyGrant.parse("ci=rollouts:admin");
        assertThatThrownBy(
                        () ->
                                new GrantedKeyFilesProvisioner(folder, store)
                                        .ensureGranted(List.of(grant)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A caller made a key of the id ci; grant one of another id.");
    }

    @Test
    void reportsAMissingDirectory() {
        assertThatThrownBy(
                        () ->
                                new GrantedKeyFilesProvisioner(folder.resolve("nowhere"), store)
                                        .ensureGranted(ConfiguredApiKeyGrant.DEFAULTS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("cannot be written; check the directory.");
    }

    private void keep() {
        new GrantedKeyFilesProvisioner(folder, store).ensureGranted(ConfiguredApiKeyGrant.DEFAULTS);
    }

    private String key(String id) throws IOException {
        return Files.readString(folder.resolve(id + ".key")).strip();
    }

    private Principal verified(String key) {
        return new ApiKeyAuthenticator(store, () -> NOW, System::nanoTime).authenticate(key);
    }
}
