package drover.coordinator.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.access.Grant;
import drover.coordinator.access.KeyText;
import drover.coordinator.store.InMemoryKeyStore;
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

final class KeyFilesTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    @TempDir Path folder;
    private final InMemoryKeyStore store = new InMemoryKeyStore(() -> NOW);

    @Test
    @DisplayName("H14: granted keys stand in files that their owner alone can read")
    void grantedKeysAreInFilesAndGood() throws IOException {
        keep();
        for (String id : List.of("admin", "approver")) {
            Path file = folder.resolve(id + ".key");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(Files.readString(file)).matches("ak1\\." + id + "\\.[A-Za-z0-9_-]{43}\n");
            assertThat(proven(key(id)).actor()).isEqualTo("key:" + id);
        }
        assertThat(proven(key("admin")).scopes()).isEqualTo(Grant.ADMIN.scopes());
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
        InMemoryKeyStore empty = new InMemoryKeyStore(() -> NOW);
        new KeyFiles(folder, empty).keep(Grant.USUAL);
        assertThat(key("admin")).isEqualTo(before);
        assertThat(empty.find("admin").orElseThrow().secret())
                .isEqualTo(KeyText.parse(before).orElseThrow().digest());
    }

    @Test
    void aLostOrBrokenFileIsMadeAnewAndTheOldKeyEnds() throws IOException {
        keep();
        String before = key("admin");
        Files.writeString(folder.resolve("admin.key"), "scratched");
        keep();
        assertThat(key("admin")).isNotEqualTo(before);
        assertThat(proven(key("admin")).id()).isEqualTo("admin");
        assertThatThrownBy(() -> proven(before)).hasMessageContaining("not one that is taken");
    }

    @Test
    @DisplayName("H7: a revoked key does not come back by a restart; its file gets another")
    void aRevokedKeyIsReplaced() throws IOException {
        keep();
        String leaked = key("admin");
        store.revoke("admin", "key:admin");
        keep();
        assertThat(key("admin")).isNotEqualTo(leaked);
        assertThat(proven(key("admin")).id()).isEqualTo("admin");
        assertThatThrownBy(() -> proven(leaked)).hasMessageContaining("not one that is taken");
    }

    @Test
    void aKeyThatACallerMadeIsNotTakenOver() {
        store.add(
                "ci", Digest.of("x"), Set.of(Scope.ROLLOUTS_READ), "key:admin", Duration.ofDays(1));
        Grant grant = Grant.parse("ci=rollouts:admin");
        assertThatThrownBy(() -> new KeyFiles(folder, store).keep(List.of(grant)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("A caller made a key of the id ci; grant one of another id.");
    }

    @Test
    void aDirectoryThatIsNotThereIsToldOf() {
        assertThatThrownBy(() -> new KeyFiles(folder.resolve("nowhere"), store).keep(Grant.USUAL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("cannot be written; check the directory.");
    }

    private void keep() {
        new KeyFiles(folder, store).keep(Grant.USUAL);
    }

    private String key(String id) throws IOException {
        return Files.readString(folder.resolve(id + ".key")).strip();
    }

    private Principal proven(String key) {
        return new KeyBook(store, () -> NOW, System::nanoTime).prove(key);
    }
}
