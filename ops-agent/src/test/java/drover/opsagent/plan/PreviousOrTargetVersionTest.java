package drover.opsagent.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.opsagent.plan.PreviousOrTargetVersion.FileVersionDigests;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PreviousOrTargetVersionTest {
    @Test
    void isThePreviousOneIfAllFilesAreAsBefore() {
        assertThat(of(file("/app", "old"), file("/a", "old")))
                .isEqualTo(new PreviousOrTargetVersion.Previous(""));
    }

    @Test
    void isTheTargetIfAllFilesAreOfIt() {
        assertThat(of(file("/app", "new"), file("/a", "new")))
                .isEqualTo(new PreviousOrTargetVersion.Target());
    }

    @Test
    @DisplayName("D3: one file of each version is a mixture, with any other files")
    void isMixed() {
        assertThat(of(file("/app", "third"), file("/a", "new"), file("/b", "old")))
                .isEqualTo(new PreviousOrTargetVersion.Mixed("/b", "/a"));
    }

    @Test
    void countsAnAbsentFileAsAContent() {
        FileVersionDigests added = new FileVersionDigests("/added", "", "new", "", false);
        assertThat(of(file("/app", "new"), added))
                .isEqualTo(new PreviousOrTargetVersion.Mixed("/added", "/app"));
    }

    @Test
    void takesAContentOfNeitherVersionForThatOfTheOtherFiles() {
        assertThat(of(file("/app", "old"), file("/a", "third")))
                .isEqualTo(new PreviousOrTargetVersion.Previous("/a"));
        assertThat(of(file("/app", "third"), file("/a", "new")))
                .isEqualTo(new PreviousOrTargetVersion.Target());
    }

    @Test
    void ignoresAFileThatBothVersionsHave() {
        FileVersionDigests same = new FileVersionDigests("/same", "old", "old", "old", false);
        assertThat(of(file("/app", "new"), same)).isEqualTo(new PreviousOrTargetVersion.Target());
        assertThat(of(file("/app", "third"), same))
                .isEqualTo(new PreviousOrTargetVersion.Undetermined());
    }

    @Test
    @DisplayName("A file that the program may change can have its earlier content after an upgrade")
    void acceptsTheEarlierContentOfAFileThatTheProgramWrites() {
        FileVersionDigests kept = new FileVersionDigests("/kept", "old", "new", "old", true);
        assertThat(of(file("/app", "new"), kept)).isEqualTo(new PreviousOrTargetVersion.Target());
        FileVersionDigests written = new FileVersionDigests("/written", "old", "new", "new", true);
        assertThat(of(file("/app", "old"), written))
                .isEqualTo(new PreviousOrTargetVersion.Mixed("/app", "/written"));
    }

    private static PreviousOrTargetVersion of(FileVersionDigests... files) {
        return PreviousOrTargetVersion.of(List.of(files));
    }

    private static FileVersionDigests file(String path, String present) {
        return new FileVersionDigests(path, "old", "new", present, false);
    }
}
