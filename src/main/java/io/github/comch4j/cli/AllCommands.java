package io.github.comch4j.cli;

import picocli.CommandLine.Command;

/** {@code comch} with all of its commands: for its help, for what a shell completes, and for its manual pages. */
@Command(
        subcommands = {
            DoctorCommand.class,
            InfoCommand.class,
            DevicesCommand.class,
            ServeCommand.class,
            PingCommand.class,
            SendCommand.class,
            RecvCommand.class,
            PerfCommand.class,
            CopyCommand.class,
            RelayCommand.class,
            TopCommand.class,
            ListCommand.class,
            SampleCommand.class,
            ConformanceCommand.class,
            EmulatorCommand.class,
        })
final class AllCommands extends Tool {}
