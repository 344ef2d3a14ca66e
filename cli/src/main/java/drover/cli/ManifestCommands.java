package drover.cli;

import drover.cli.command.DroverRootCommand;
import drover.cli.command.SubcommandGroup;
import drover.cli.rollout.RolloutPrinter;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.Console;
import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.Style;
import drover.manifest.v1.GetManifestRequest;
import drover.manifest.v1.ListManifestsRequest;
import drover.manifest.v1.ListManifestsResponse;
import drover.manifest.v1.ManifestEntry;
import drover.manifest.v1.ManifestProblem;
import drover.manifest.v1.UpgradeManifest;
import drover.manifest.v1.ValidateManifestRequest;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drover manifest …}. */
@Command(name = "manifest", description = "Upgrade manifests: what may be installed.")
final class ManifestCommands extends SubcommandGroup {
    private static final int LARGEST = 256 * 1024; // what ValidateManifest takes

    private final DroverRootCommand drover;

    ManifestCommands(DroverRootCommand drover) {
        this.drover = drover;
    }

    @Command(description = "Checks a manifest file, changing nothing.")
    int validate(
            @Parameters(paramLabel = "FILE", description = "Manifest, a YAML file.") Path file) {
        String content = read(file);
        return drover.withServer(
                server -> {
                    var answer =
                            server.manifests()
                                    .validateManifest(
                                            ValidateManifestRequest.newBuilder()
                                                    .setContent(content)
                                                    .build());
                    if (!drover.printIfJson(answer)) {
                        answer.getProblemsList().forEach(problem -> print(file, problem));
                        if (answer.getProblemsCount() == 0) {
                            drover.console().printLine(file + " is good.");
                        }
                    }
                    return answer.getProblemsCount() == 0 ? CommandFailed.OK : CommandFailed.FAILED;
                });
    }

    @Command(description = "Lists manifests.")
    int list(
            @Option(
                            names = "--chain",
                            paramLabel = "CHAIN",
                            defaultValue = "",
                            description = "Only of this chain.")
                    String chain) {
        return drover.withServer(
                server -> {
                    var answer =
                            server.manifests()
                                    .listManifests(
                                            ListManifestsRequest.newBuilder()
                                                    .setChainProfileId(chain)
                                                    .build());
                    if (!drover.printIfJson(answer)) {
                        print(answer);
                    }
                    return CommandFailed.OK;
                });
    }

    @Command(description = "Shows a manifest.")
    int show(
            @Parameters(index = "0", paramLabel = "CHAIN", description = "Chain profile.")
                    String chain,
            @Parameters(index = "1", paramLabel = "UPGRADE", description = "Manifest id.")
                    String upgrade) {
        return drover.withServer(
                server -> {
                    var answer =
                            server.manifests()
                                    .getManifest(
                                            GetManifestRequest.newBuilder()
                                                    .setChainProfileId(chain)
                                                    .setUpgradeId(upgrade)
                                                    .build());
                    if (!drover.printIfJson(answer)) {
                        print(answer.getManifest());
                    }
                    return CommandFailed.OK;
                });
    }

    private static String read(Path file) {
        try {
            if (Files.size(file) > LARGEST) {
                throw CommandFailed.refused(
                        file + " is larger than 256 KiB, so it is no manifest.");
            }
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw CommandFailed.refused("There is no file " + file + "."); // says all there is
        } catch (CharacterCodingException e) {
            throw CommandFailed.refused(file + " is not UTF-8: save it in that encoding.");
        } catch (IOException e) {
            throw CommandFailed.refused("Cannot read " + file + " as text: " + e + ".");
        }
    }

    /** The form that editors and people know: {@code file:line:column path: message [CODE]}. */
    private void print(Path file, ManifestProblem problem) {
        String place = problem.getLine() == 0 ? "" : ":" + problem.getLine();
        String column =
                problem.getLine() == 0 || problem.getColumn() == 0 ? "" : ":" + problem.getColumn();
        String path = problem.getPath().isEmpty() ? "" : " " + problem.getPath() + ":";
        drover.console()
                .printLine(
                        Style.sanitize(
                                "%s%s%s%s %s [%s]"
                                        .formatted(
                                                file,
                                                place,
                                                column,
                                                path,
                                                problem.getMessage(),
                                                problem.getCode())));
    }

    private void print(ListManifestsResponse answer) {
        ConsoleTable table =
                new ConsoleTable("CHAIN", "UPGRADE", "PROGRAM", "VERSION", "STATE", "PROBLEM");
        for (ManifestEntry entry : answer.getManifestsList()) {
            table.addRow(
                    entry.getChainProfileId(),
                    entry.getUpgradeId(),
                    entry.getBinaryName(),
                    entry.getTargetVersion(),
                    entry.getProblemsCount() == 0 ? "good" : "broken",
                    Stream.concat(
                                    entry.getProblemsList().stream(),
                                    entry.getWarningsList().stream())
                            .findFirst()
                            .map(ManifestProblem::getMessage)
                            .orElse(""));
        }
        if (table.isEmpty()) {
            drover.console().printLine("There is no manifest.");
        } else {
            drover.console().print(table);
        }
    }

    private void print(UpgradeManifest manifest) {
        Console console = drover.console();
        console.printLine("upgrade    " + Style.sanitize(manifest.getUpgradeId()));
        console.printLine("chain      " + Style.sanitize(manifest.getChainProfileId()));
        console.printLine("node type  " + Style.sanitize(manifest.getNodeType()));
        console.printLine("program    " + Style.sanitize(manifest.getBinaryName()));
        console.printLine("version    " + Style.sanitize(manifest.getTargetVersion()));
        console.printLine("artifact   " + Style.sanitize(manifest.getTargetUrl()));
        console.printLine("checksum   " + Style.sanitize(manifest.getTargetChecksum()));
        console.printLine(
                "migration  "
                        + RolloutPrinter.migrationText(
                                manifest.getStateCompatibility().getMigrationType()));
        manifest.getConfigChangesList()
                .forEach(
                        change ->
                                console.printLine(
                                        Style.sanitize(
                                                "config     %s from %s"
                                                        .formatted(
                                                                change.getPath(),
                                                                change.getTemplate()))));
    }
}
