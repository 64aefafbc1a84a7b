%% What Erlang/OTP does of what the benchmark versus does: a gen_server that guards a worker, and restarts by a
%% supervisor. Prints a rate per second of processor time, and one per second on the wall.
%%
%%   erl -noshell -pa DIR -run peers requests WINDOW OPERATIONS
%%   erl -noshell -pa DIR -run peers restarts quits|throws COUNT
-module(peers).
-export([requests/1, restarts/1]).
-export([start_guard/0, start_mortal/2, init/1, handle_call/3, handle_cast/2, handle_info/2]).

%% -- requests and replies ---------------------------------------------------------------

%% The guard keeps each message until the worker has acknowledged it, and monitors the worker, who answers the
%% client itself.
requests([Window, Operations]) ->
    {ok, Guard} = start_guard(),
    Count = list_to_integer(Operations),
    WarmUp = Count div 10,
    [ask(Guard, I) || I <- lists:seq(1, list_to_integer(Window))],
    answers(Guard, WarmUp),
    measured(Count, fun() -> answers(Guard, Count) end).

ask(Guard, Number) -> gen_server:cast(Guard, {message, self(), {Number, <<"twelve bytes">>}}).

answers(_, 0) -> ok;
answers(Guard, Left) ->
    receive
        {'$gen_cast', {answer, {Number, _}}} -> ask(Guard, Number)
    end,
    answers(Guard, Left - 1).

start_guard() -> gen_server:start_link(?MODULE, guard, []).

%% -- restarts ---------------------------------------------------------------------------

%% A supervisor that never gives up, and a child that ends whenever it is given a message.
restarts([Ending, Restarts]) ->
    process_flag(trap_exit, true),
    Count = list_to_integer(Restarts),
    {ok, _} = supervisor:start_link(?MODULE, {supervisor, self(), list_to_atom(Ending)}),
    measured(Count, fun() -> end_children(Count) end).

end_children(0) -> receive {up, _} -> ok end;
end_children(Left) ->
    receive {up, Child} -> gen_server:cast(Child, {message, self(), {Left, <<"twelve bytes">>}}) end,
    end_children(Left - 1).

start_mortal(Parent, Ending) -> gen_server:start_link(?MODULE, {mortal, Parent, Ending}, []).

%% -- processes ----------------------------------------------------------------------------

init(guard) ->
    {ok, Worker} = gen_server:start(?MODULE, worker, []),
    monitor(process, Worker),
    {ok, {guard, Worker, 0, #{}}};
init(worker) -> {ok, worker};
init({mortal, Parent, Ending}) ->
    Parent ! {up, self()},
    {ok, {mortal, Ending}};
init({supervisor, Parent, Ending}) ->
    Child = #{id => child, start => {?MODULE, start_mortal, [Parent, Ending]}},
    {ok, {#{intensity => 1000000, period => 1}, [Child]}}.

handle_cast({message, Client, Message}, {guard, Worker, Id, Owed}) ->
    gen_server:cast(Worker, {tracked, Id, self(), Client, Message}),
    {noreply, {guard, Worker, Id + 1, Owed#{Id => {Client, Message}}}};
handle_cast({sent, Id}, {guard, Worker, Next, Owed}) ->
    {noreply, {guard, Worker, Next, maps:remove(Id, Owed)}};
handle_cast({tracked, Id, Guard, Client, Message}, worker) ->
    gen_server:cast(Guard, {sent, Id}),
    gen_server:cast(Client, {answer, Message}),
    {noreply, worker};
handle_cast({message, _, _}, {mortal, throws}) -> error("Danger, High Voltage!");
handle_cast({message, _, _}, {mortal, quits} = State) -> {stop, failed, State}.

%% The worker does not crash here.
handle_info({'DOWN', _, process, _, _}, State) -> {noreply, State}.

handle_call(_, _, State) -> {reply, ok, State}.

%% -- measuring ------------------------------------------------------------------------------

measured(Count, Work) ->
    {Cpu, _} = statistics(runtime),
    Wall = erlang:monotonic_time(microsecond),
    Work(),
    {CpuEnd, _} = statistics(runtime),
    WallEnd = erlang:monotonic_time(microsecond),
    io:format("~f ~f~n", [Count * 1000 / (CpuEnd - Cpu), Count * 1000000 / (WallEnd - Wall)]),
    halt(0).
